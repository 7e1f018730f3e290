import { Transform, type TransformCallback } from 'node:stream'

const NEWLINE = 0x0a

/** Passes text through, and ends its last line with a newline if the input does not. */
export class CompleteLines extends Transform {
  #lastByte = NEWLINE

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#lastByte = chunk.at(-1) ?? this.#lastByte
    done(null, chunk)
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#lastByte === NEWLINE ? undefined : '\n')
  }
}
