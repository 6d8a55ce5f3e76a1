import type { Failure } from './errors.ts'
import { Kernel, type KernelOptions } from './kernel.ts'
import { AgentRuntime } from './loop/agent-runtime.ts'
import type { RuntimeSettings } from './loop/settings.ts'
import type { KernelError } from './plan-report.ts'
import type { Entry } from './plugin.ts'
import { Agent } from './ports/agent.ts'
import type { BundleIssue } from './ports/bundle.ts'
import { Inspector } from './ports/inspector.ts'
import { err, ok, type Result } from './result.ts'

export interface StartOptions extends KernelOptions { readonly settings?: Partial<RuntimeSettings> }
export type StartError = KernelError | { readonly kind: 'agent'; readonly failure: Failure & { readonly issues?: readonly BundleIssue[] } }

/** A kernel and the agent it runs. */
export interface Running { readonly kernel: Kernel; readonly agent: Agent; readonly close: (reason?: string) => Promise<void> }

/**
 * Wires the plugins, loads the agent's files and begins to serve.
 *
 * @example
 * const started = await startAgent(embedded.entries)
 * if (!started.ok) throw new Error(explainStart(started.error))
 * const { agent, close } = started.value
 */
export async function startAgent(entries: readonly Entry[], options: StartOptions = {}): Promise<Result<Running, StartError>> {
  const runtime = new AgentRuntime(options.settings, options.clock)
  const made = await Kernel.create(entries, {
    ...options,
    services: [...options.services ?? [], [Agent, runtime], [Inspector, { inspect: () => runtime.kernel.inspect() }]],
  })
  if (!made.ok) return made
  const kernel = made.value
  const close = async (reason = 'close'): Promise<void> => {
    await kernel.drain(reason)
    await runtime.close()
    await kernel.close(reason)
  }
  const started = options.dry ? runtime.attach(kernel) : await runtime.start(kernel)
  if (started.ok) return ok({ kernel, agent: runtime, close })
  await close('start failed')
  return err({ kind: 'agent', failure: started.error })
}
