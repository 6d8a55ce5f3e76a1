import { textOfFile, type Contents } from './contents.ts'

/** A place in a package that looks like a secret. */
export interface SecretFinding {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly what: string
}

/** Forms of keys that providers document, and values of fields that are named as secrets. */
const PATTERNS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/],
  ['a key of AWS', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['a token of GitHub', /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})\b/],
  ['a token of GitLab', /\bglpat-[\w-]{20,}\b/],
  ['a token of Slack', /\bxox[abeoprs]-[\w-]{10,}\b/],
  ['a token of npm', /\bnpm_[A-Za-z0-9]{36}\b/],
  ['a key of a model provider', /\bsk-(?:ant-|proj-)?[\w-]{20,}\b/],
  ['a key of Google', /\bAIza[\w-]{35}\b/],
  ['a key of Stripe', /\b[rs]k_live_[A-Za-z0-9]{16,}\b/],
  ['a signed token', /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/],
  ['a password in an address', /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@"']+:[^\s/:@"']{3,}@/i],
  [
    'the value of a secret',
    /["']?(?:api[_-]?key|secret|token|passw(?:or)?d|client[_-]?secret)["']?\s*[:=]\s*["'](?!env:|scope:|\$\{|\{\{)[^"'\s]{12,}["']/i,
  ],
]

/** Files that hold secrets by their names. */
const FILES =
  /(?:^|\/)(?:\.env(?:\..+)?|credentials|\.npmrc|id_[a-z0-9]+|.*\.(?:pem|key|p12|pfx))$/i

/**
 * Finds what looks like a secret in the files of a package. It finds known forms, no secret that
 * looks like any other text.
 */
export function scanForSecrets(contents: Contents): readonly SecretFinding[] {
  return contents.flatMap((file): readonly SecretFinding[] => {
    if (FILES.test(file.path)) return [{ file: file.path, line: 1, what: 'a file for secrets' }]
    const lines = (textOfFile(file) ?? '').split('\n')
    return lines.flatMap((line, index) => {
      const found = PATTERNS.find(([, pattern]) => pattern.test(line))
      return found ? [{ file: file.path, line: index + 1, what: found[0] }] : []
    })
  })
}
