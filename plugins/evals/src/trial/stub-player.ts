import { isList, isObject, matchesWildcard, type Json, type JsonObject } from '@amodal/sdk'
import type { Stub, StubAnswer } from '../definition.ts'

/** What stands in for a call: an answer, the tool itself, or nothing. */
export type StubbedCall =
  | { readonly kind: 'answer'; readonly answer: StubAnswer }
  | { readonly kind: 'real' }
  /** The tool has no stub. */
  | { readonly kind: 'undeclared' }
  /** It has, and none of its answers fits the call. */
  | { readonly kind: 'unmatched' }

/**
 * Plays the stubs of one case. An answer without `repeats` is used once, so that two equal calls
 * may get different answers.
 */
export class StubPlayer {
  readonly #stubs: Readonly<Record<string, Stub>>
  readonly #real: readonly string[]
  readonly #used = new Set<StubAnswer>()

  /** @param real tools that are called themselves in every case; `*` fits any characters */
  constructor(stubs: Readonly<Record<string, Stub>>, real: readonly string[] = []) {
    this.#stubs = stubs
    this.#real = real
  }

  /** Whether the case says what stands in for the tool. */
  declares(tool: string): boolean {
    return Object.hasOwn(this.#stubs, tool) || this.#isReal(tool)
  }

  answer(tool: string, args: JsonObject): StubbedCall {
    const stub = Object.hasOwn(this.#stubs, tool) ? this.#stubs[tool] : undefined
    if (!stub) return { kind: this.#isReal(tool) ? 'real' : 'undeclared' }
    if (stub.kind === 'real') return stub
    const answer = stub.answers.find(
      (one) => !this.#used.has(one) && (!one.match || includes(args, one.match)),
    )
    if (!answer) return { kind: 'unmatched' }
    if (!answer.repeats) this.#used.add(answer)
    return { kind: 'answer', answer }
  }

  #isReal(tool: string): boolean {
    return this.#real.some((pattern) => matchesWildcard(pattern, tool))
  }
}

/** Whether a value has all that is expected: objects may have more, everything else is equal. */
export function includes(value: Json | undefined, expected: Json): boolean {
  if (isObject(expected))
    return (
      isObject(value) &&
      Object.entries(expected).every(([name, inner]) => includes(value[name], inner))
    )
  if (isList(expected))
    return (
      isList(value) &&
      value.length === expected.length &&
      expected.every((inner, index) => includes(value[index], inner))
    )
  // Texts compare numbers with all of their digits.
  return value !== undefined && JSON.stringify(value) === JSON.stringify(expected)
}
