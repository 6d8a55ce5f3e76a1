/**
 * How long the model sees a result: `ephemeral`, in the run that it came in; `persisted-preferred`,
 * the same where it has 5,000 characters or more, and otherwise for good; `persisted`, for good,
 * and 5,000 characters or more are an error.
 */
export const PERSISTENCES = ['ephemeral', 'persisted-preferred', 'persisted'] as const
export type Persistence = (typeof PERSISTENCES)[number]
