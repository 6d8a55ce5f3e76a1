/** Words by which people name what something may not do. */
const WORDS = new Set(
  (
    'access acl allow allowed allowlist approval approvals approve approved approver approvers authorization authorize block blocked blocklist blacklist ' +
    'confirm confirmation constraint constraints deny denied denylist disable disabled disallow disallowed exclude excluded forbid forbidden guard guardrail guardrails ' +
    'guards hook hooks mask masked permission permissions permit permitted policies policy prohibit prohibited protect protected protection rbac redact redacted ' +
    'redaction restrict restricted restriction restrictions role roles security whitelist'
  ).split(' '),
)

/**
 * Whether a name sounds like a protection. A field with such a name that no code reads protects
 * nothing, although its author relies on it.
 *
 * @example soundsLikeProtection('deniedTools') // true
 */
export const soundsLikeProtection = (name: string): boolean =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .some((word) => WORDS.has(word))
