import { isOfStorage } from '../../store/unusable.ts'

/** The last failure of the disk. Work that it has stopped is retried by itself, and the same failure is reported once. */
export class DiskFailures {
  #last: string | undefined

  /** Records a failure. @returns whether it has to be reported: it is another one, or not of the disk */
  isNew(error: unknown): boolean {
    if (!isOfStorage(error)) return true
    const isNew = error.message !== this.#last
    this.#last = error.message
    return isNew
  }

  /** Records that something was written. */
  recordWrite(): void {
    this.#last = undefined
  }
}
