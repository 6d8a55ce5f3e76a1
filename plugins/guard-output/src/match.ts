import type { Span } from './finding.ts'
import type { Needle } from './tracked.ts'

/** A redacted value in a text; `disguised` if it was encoded or obfuscated. */
export interface ValueMatch extends Span {
  readonly disguised: boolean
}

/** `sure`: the context need not confirm it. */
export interface KnownValueMatch extends ValueMatch {
  readonly needle: Needle
  readonly sure: boolean
}
