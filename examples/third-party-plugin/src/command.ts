import {
  LOCAL_TENANT,
  principalId,
  SessionFacts,
  sessionId,
  TenantDatabase,
  type Command,
} from '@amodal/sdk'
import { notes } from './note.ts'

/** `amodal office-hours notes` */
export const notesCommand: Command = {
  summary: 'List the notes that were left for the office',
  usage: 'amodal office-hours notes [--dir PATH] [--json]',
  options: { json: { type: 'boolean', description: 'Print the list as JSON' } },
  async run({ start, options, print, fail, signal }) {
    const kernel = await start({ without: ['http'] })
    const scope = kernel.scope.child('session', [
      [
        SessionFacts,
        {
          tenant: LOCAL_TENANT,
          principal: principalId('command-line'),
          session: sessionId('office-hours'),
        },
      ],
    ])
    const found = await notes(scope.get(TenantDatabase), signal)
    await scope.close()
    if (!found.ok) {
      fail(`${found.error.code}: ${found.error.message}`)
      return 1
    }
    if (options['json'] === true) print(JSON.stringify(found.value))
    else for (const { hour, text } of found.value) print(`${hour}:00  ${text}`)
    return 0
  },
}
