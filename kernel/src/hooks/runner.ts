import type { HookKind } from './spec.ts'

/** A tap after wrapping. All hooks are called with a first argument and the rest, so that a line needs no arity. */
export type Run = (first: unknown, rest: readonly unknown[]) => unknown

/** The taps of one hook, and the way to run them in order. The taps of asynchronous kinds always return promises. */
export interface Line {
  add(plugin: string, stage: number, tap: Run): void
  readonly run: Run
}

export interface HookRunner {
  readonly name: 'tapable' | 'plain'
  line(kind: HookKind): Line
}
