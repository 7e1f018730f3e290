/**
 * Writes soon that something was refused as expired. It must not become valid again if the daemon crashes and the wall clock is
 * set back before the next start.
 */
export class Expiries {
  /** The instant of each clock up to which its expiries were written, or are being written. */
  readonly #writtenUpTo = new WeakMap<object, number>()

  /**
   * Writes once what has expired on a clock up to now. So many refusals need few writes, also on a full disk, where the
   * housekeeping tries again.
   * @param clock - identifies the clock
   * @param instant.expires - when the refused thing has expired, on that clock
   * @param write - runs a command
   */
  write(
    clock: object,
    { expires, now }: { readonly expires: number; readonly now: number },
    write: () => Promise<unknown>,
  ): void {
    if (expires <= (this.#writtenUpTo.get(clock) ?? Number.NEGATIVE_INFINITY)) return
    this.#writtenUpTo.set(clock, now)
    // Failed commits and defects are reported already. Nothing is to be written for a merchant that was deleted or replaced, or while
    // the daemon ends, because the end writes all expiries.
    write().catch(() => undefined)
  }
}
