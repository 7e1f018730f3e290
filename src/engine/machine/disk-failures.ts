import { isOfFullDisk, isOfStorage } from '../../store/unusable.ts'

/** The failure of the disk that work on clocks has met last. The work is retried by itself, but the same failure is reported once. */
export class DiskFailures {
  #last: { readonly message: string; readonly isFull: boolean } | undefined

  /** Whether nothing could be written because the disk is full, which all clocks have in common. */
  get isFull(): boolean {
    return this.#last?.isFull ?? false
  }

  /** Records a failure of work on a clock. @returns whether it has to be reported: it is another one, or not of the disk */
  isNew(error: unknown): boolean {
    if (!isOfStorage(error)) return true
    const { message } = error
    const isNew = message !== this.#last?.message
    this.#last = { message, isFull: isOfFullDisk(error) }
    return isNew
  }

  /** Records that work on a clock was written. */
  recordWrite(): void {
    this.#last = undefined
  }
}
