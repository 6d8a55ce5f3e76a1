import { Agent, type Command } from '@amodal/sdk'
import { resumedSession } from './resumed-session.ts'
import { serveUntilStopped } from './serving.ts'

/** `amodal dev`: serves the agent of a folder until the process is stopped. */
export const devCommand: Command = {
  summary: 'Serve the agent on this machine',
  usage: 'amodal dev [--dir PATH] [--port N] [--host ADDRESS] [--resume ID|latest]',
  about: [
    'Serves the HTTP API until Ctrl-C, on this machine alone. It first prints the parts of the folder, the model, and where to go',
    'from there. Settings of the log: -q, -v, -vv, or LOG_LEVEL, which wins.',
  ],
  examples: [
    ['amodal dev --dir my-agent', 'serves that folder on http://127.0.0.1:3847'],
    ['amodal dev --port 4000 -v', 'another port, and more in the log'],
    ['amodal dev --resume latest', 'prints where the last session can be resumed'],
    ['amodal dev --preset production', 'with a database of its own: see `amodal docs run-it`'],
  ],
  options: {
    port: { type: 'string', short: 'p', description: 'Port to listen on (PORT, or 3847)' },
    host: { type: 'string', description: 'Address to listen on (127.0.0.1)' },
    resume: { type: 'string', description: 'Resume a session: its id, or `latest`' },
  },
  async run(context) {
    const { signal, options } = context
    const kernel = await context.start()
    const { resume } = options
    const session =
      typeof resume === 'string'
        ? await resumedSession(kernel.scope.get(Agent), resume, signal)
        : undefined
    if (session && !session.ok) {
      context.fail(`--resume ${String(resume)}: ${session.error.message}`)
      context.fail('fix: start without it; the studio and `amodal chat` list the sessions')
      return 1
    }
    await serveUntilStopped(kernel, context, session?.value)
    return 0
  },
}

/** `amodal start`: the same with the preset `production`, where none is named. */
export const startCommand: Command = {
  ...devCommand,
  summary: 'Serve the agent for others, with the preset production',
  usage: 'amodal start [--dir PATH] [--port N] [--host ADDRESS] [--preset NAME]',
  about: [
    'Like `amodal dev`, with the preset `production` where neither --preset nor amodal.json names one: PostgreSQL, JSON in the log, no demo model.',
    'It needs DATABASE_URL and AMODAL_MASTER_KEY: see `amodal docs run-it`.',
  ],
  examples: [
    ['amodal start --dir my-agent', 'serves that folder on http://127.0.0.1:3847'],
    ['amodal start --preset dev', 'what `amodal dev` does'],
  ],
}
