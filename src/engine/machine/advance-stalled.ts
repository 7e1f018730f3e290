/**
 * An advance that cannot continue because the disk is full or fails. It stays in progress, and continues when the disk works again.
 */
export class AdvanceStalled extends Error {
  constructor(cause: unknown) {
    super(`the advance is stalled: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}
