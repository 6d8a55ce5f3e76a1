import { type Json, type PreparedCall, REDACTED, type RunContext, type Verdict } from '@amodal/sdk'
import { isNumber } from '@amodal/sdk/data'
import { findingsIn } from './clean.ts'
import { readerOf, type Review } from './review.ts'

/**
 * Marks that replace removed values; a call that writes one back would overwrite the value.
 */
export const PLACEHOLDERS: ReadonlySet<string> = new Set([REDACTED, '[MASKED]'])

/** Refuses a call that would send restricted data outside. */
export function guardArguments(
  verdict: Verdict,
  call: PreparedCall,
  review: Review,
  ctx: RunContext,
): Verdict | undefined {
  if (!takesOutside(call)) return undefined
  const reader = readerOf(ctx)
  const found = new Set<string>()
  for (const { path, name, text } of leavesOf(call.args, 'arguments', '')) {
    if (PLACEHOLDERS.has(text))
      found.add(`\`${path}\` holds ${text}, which stands for a value and is none`)
    for (const { stage, what, action } of findingsIn(text, name, review, reader)) {
      if (action !== 'warn')
        found.add(
          `\`${path}\` holds ${stage === 'patterns' ? (WORDS[what] ?? what) : `a withheld value${what === '' ? '' : ` (${what})`}`}`,
        )
    }
  }
  if (found.size === 0) return undefined
  ctx.log.warn('output_finding', { stage: 'arguments', tool: call.tool.name, found: [...found] })
  return verdict.raise(
    'deny',
    `restricted data may not be sent: ${[...found].join('; ')}. Leave it out, or pass its handle where there is one`,
  )
}

const WORDS: Readonly<Record<string, string>> = {
  ssn: 'a social security number',
  card: 'the number of a payment card',
  iban: 'an IBAN',
  bank_account: 'the number of a bank account',
  email: 'an e-mail address',
  phone: 'a phone number',
}

/**
 * Calls with an effect, and all calls to the open web. A read of the agent's own connection sends
 * data only to where it comes from.
 */
function takesOutside({ tool, action }: PreparedCall): boolean {
  return action ? action.effect === 'write' || action.protocol === 'web' : !tool.readOnly
}

interface Leaf {
  readonly path: string
  readonly name: string
  readonly text: string
}

export function* leavesOf(value: Json, path: string, name: string): Generator<Leaf> {
  if (typeof value === 'string' || isNumber(value)) yield { path, name, text: String(value) }
  else if (Array.isArray(value))
    for (const [at, inner] of value.entries() as Iterable<[number, Json]>)
      yield* leavesOf(inner, `${path}[${at}]`, name)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value) as Iterable<[string, Json]>) {
      yield { path, name: '', text: key }
      yield* leavesOf(inner, `${path}.${key}`, key)
    }
  }
}
