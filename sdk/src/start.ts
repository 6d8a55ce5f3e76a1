import {
  err,
  Kernel,
  ok,
  type Entry,
  type Failure,
  type KernelError,
  type KernelOptions,
  type Result,
} from '@amodal/kernel'
import type { BundleIssue } from './ports/bundle.ts'
import { Agent } from './ports/agent.ts'

export type StartError =
  | KernelError
  | {
      readonly kind: 'agent'
      readonly failure: Failure & { readonly issues?: readonly BundleIssue[] }
    }

/** A kernel and the agent it runs. */
export interface Running {
  readonly kernel: Kernel
  readonly agent: Agent
  readonly close: (reason?: string) => Promise<void>
}

/**
 * Wires the plugins and hands out the agent that one of them (`loop`) runs.
 *
 * @example
 * const started = await startAgent(embedded.entries)
 * if (!started.ok) throw new Error(explain(started.error))
 * const { agent, close } = started.value
 */
export async function startAgent(
  entries: readonly Entry[],
  options: KernelOptions = {},
): Promise<Result<Running, StartError>> {
  const started = await Kernel.create(entries, options)
  if (!started.ok) return err(refusedFiles(started.error) ?? started.error)
  const kernel = started.value
  return ok({
    kernel,
    agent: kernel.scope.get(Agent),
    close: async (reason = 'close') => {
      await kernel.close(reason)
    },
  })
}

/** The agent's own files prevent the start: an error for their author, not a fault of a plugin. */
function refusedFiles(error: KernelError): StartError | undefined {
  const cause =
    error.kind === 'plugin' && error.error.where === 'agent' ? error.error.cause : undefined
  const failure = cause instanceof Error ? cause.cause : undefined
  return isFailure(failure) ? { kind: 'agent', failure } : undefined
}

const isFailure = (value: unknown): value is Failure =>
  typeof value === 'object' && value !== null && 'code' in value && 'message' in value
