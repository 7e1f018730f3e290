import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import {
  CancelledNotificationSchema,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js'

/** A transport over standard input and output that can send its last responses before it closes. */
export class AnsweringTransport extends StdioServerTransport {
  /** The ids of requests without a response. A client may use an id twice. */
  readonly #open: RequestId[] = []
  #isEnding = false
  #sent = Promise.resolve()

  /** Called by the server for each message before it handles the message. */
  override onmessage = (message: JSONRPCMessage): void => {
    if (isJSONRPCRequest(message)) this.#open.push(message.id)
    // The server sends no response to a canceled request.
    const { data: canceled } = CancelledNotificationSchema.safeParse(message)
    if (canceled?.params.requestId) this.#remove(canceled.params.requestId)
  }

  /** Sends one message at a time, because each one that the client does not read yet has a listener. */
  override async send(message: JSONRPCMessage): Promise<void> {
    this.#sent = this.#sent.then(() => super.send(message))
    await this.#sent
    if ('id' in message && message.id !== undefined && !('method' in message)) this.#remove(message.id)
  }

  /** Waits until all messages that were sent are written. */
  written(): Promise<void> {
    return this.#sent
  }

  /** Closes the transport as soon as all requests that were read have their responses. */
  closeWhenAnswered(): void {
    this.#isEnding = true
    if (this.#open.length === 0) void this.close()
  }

  #remove(id: RequestId): void {
    const index = this.#open.indexOf(id)
    if (index >= 0) this.#open.splice(index, 1)
    if (this.#isEnding) this.closeWhenAnswered()
  }
}
