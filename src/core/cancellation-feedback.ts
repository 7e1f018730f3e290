/** The reasons that a customer can give for a cancellation. */
export const FEEDBACK = [
  'customer_service',
  'low_quality',
  'missing_features',
  'other',
  'switched_service',
  'too_complex',
  'too_expensive',
  'unused',
] as const

/** The feedback of a customer about the cancellation of its subscription. */
export type CancellationFeedback = {
  readonly comment: string | null
  readonly feedback: (typeof FEEDBACK)[number] | null
}

/** Feedback as a parameter: undefined leaves a part unchanged. */
export type FeedbackParam = {
  readonly [Part in keyof CancellationFeedback]?: CancellationFeedback[Part] | undefined
}

export const NO_FEEDBACK: CancellationFeedback = { comment: null, feedback: null }

/** Changes the given parts of the feedback. */
export function withFeedback(
  known: CancellationFeedback | null,
  given: FeedbackParam | undefined,
): CancellationFeedback | null {
  if (given?.comment === undefined && given?.feedback === undefined) return known
  const { comment, feedback } = known ?? NO_FEEDBACK
  return {
    comment: given.comment === undefined ? comment : given.comment,
    feedback: given.feedback === undefined ? feedback : given.feedback,
  }
}
