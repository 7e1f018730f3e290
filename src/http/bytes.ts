export const NOTHING: Buffer = Buffer.alloc(0)

/** Appends a chunk to the first bytes of a buffer, which grows to twice its size. Returns a single chunk as it is. */
export function appended(all: Buffer, size: number, chunk: Buffer): Buffer {
  if (size === 0) return chunk
  const hasRoom = size + chunk.length <= all.length
  const grown = hasRoom ? all : Buffer.allocUnsafeSlow(Math.max(2 * size, size + chunk.length, 1_024))
  if (!hasRoom) all.copy(grown, 0, 0, size)
  chunk.copy(grown, size)
  return grown
}
