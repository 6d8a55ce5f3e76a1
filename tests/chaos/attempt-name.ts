const attempts = new Map<string, number>()

/**
 * The name of a scenario in one attempt at its test. Effects are counted by it, and an attempt that
 * follows a failed one must not count those of before.
 */
export function attemptName(title: string): string {
  const attempt = (attempts.get(title) ?? 0) + 1
  attempts.set(title, attempt)
  const name = title.replaceAll(/\W+/g, '-')
  return attempt === 1 ? name : `${name}-attempt-${attempt}`
}
