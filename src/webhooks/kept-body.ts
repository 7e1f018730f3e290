/** The maximum size of the part of a body that is kept, in bytes. See docs/contract/events-and-webhooks.md#deliveries. */
const MAX_KEPT_BYTES = 1_024

/** Reads the part of a response's body that is kept, and no more. @throws TypeError if the body has other chunks than bytes */
export async function keptPartOf(body: AsyncIterable<unknown> | Iterable<unknown>): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('The body has chunks that are not bytes')
    chunks.push(chunk)
    // An empty chunk counts too: a stream of them has no end either.
    size += Math.max(chunk.length, 1)
    // Leaving the loop ends the body: of a response from the network its connection, of a stream its source.
    if (size > MAX_KEPT_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_KEPT_BYTES).toString('utf8')
}
