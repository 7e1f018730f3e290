import { Agent } from 'node:http'
import { connect, type NetConnectOpts, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { FOR_NO_MERCHANT, nameFor, PIECE_BYTES, type ReceivingOptions } from './receiving.ts'

/** What Node documents and its types lack. */
declare module 'node:http' {
  interface Agent {
    getName(options?: object): string
    createConnection(options: object): Duplex
  }
}

/** Makes connections without TLS, whose data is passed on in small pieces, in turns of the merchants. */
export class PlainAgent extends Agent {
  override getName(options?: ReceivingOptions): string {
    return nameFor(super.getName(options), options)
  }

  /** Called by Node for each new connection. */
  override createConnection({
    receiving = FOR_NO_MERCHANT,
    ...options
  }: NetConnectOpts & ReceivingOptions): Socket {
    const socket = connect({
      ...options,
      onread: {
        // A piece is kept until its turn, so that each has a buffer of its own.
        buffer: () => Buffer.allocUnsafe(PIECE_BYTES),
        callback: (size, buffer) => {
          let isWaiting = false
          let isPassedOn = false
          receiving.run(() => {
            isPassedOn = true
            if (socket.destroyed) return
            socket.emit('data', Buffer.from(buffer.buffer, buffer.byteOffset, size))
            if (isWaiting) socket.resume()
          })
          isWaiting = !isPassedOn
          // Until it was passed on, no more is read.
          return isPassedOn
        },
      },
    })
    return socket
  }
}
