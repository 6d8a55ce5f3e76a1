import { Agent, LocalToken, onAbort, type CommandContext, type Kernel } from '@amodal/sdk'
import { LOCAL_CALLER } from '@amodal/sdk/loop'
import { inspectionOf } from '@amodal/sdk/inspection'
import { HttpApp } from './http-app.ts'
import type { ResumedSession } from './resumed-session.ts'

/**
 * Prints what a server that has started offers, and waits until the command is stopped.
 *
 * @param session that is resumed
 */
export async function serveUntilStopped(
  kernel: Kernel,
  context: CommandContext,
  session?: ResumedSession,
): Promise<void> {
  const print = context.options['quiet'] === true ? () => undefined : context.print
  for (const line of await linesOf(kernel, context, session)) print(line)
  await stopped(context.signal)
  print('\nStopping: work in progress is finished. Ctrl-C again stops at once.')
}

async function linesOf(
  kernel: Kernel,
  { program = 'amodal', signal }: CommandContext,
  session: ResumedSession | undefined,
): Promise<readonly string[]> {
  const agent = kernel.scope.get(Agent)
  const app = kernel.scope.get(HttpApp)
  const address = app.address()
  const { banner } = await import('./banner.ts')
  return banner({
    bundle: agent.bundle(),
    models: agent.models(),
    compiled: await agent.compiled(signal, LOCAL_CALLER.roles, LOCAL_CALLER),
    routes: app.routes(),
    inspection: inspectionOf(kernel),
    ...(address && { url: urlOf(address) }),
    program,
    ...(session && { session }),
    token: kernel.scope.find(LocalToken)?.text(),
  })
}

/**
 * A URL that a browser can open: a wildcard address cannot be opened, so it becomes `localhost`.
 */
function urlOf({ host, port }: { readonly host: string; readonly port: number }): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, resolve)
  })
}
