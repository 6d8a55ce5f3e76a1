import { ok } from '@amodal/sdk'
import type { PkgCommand } from '../pkg-command.ts'
import { oneLine } from '../plan.ts'
import { searchRegistry } from '../registry-search.ts'
import { FETCH_OPTIONS, registryContext, withAgent } from './change-packages.ts'

/** `amodal pkg search [WORD …]` */
export const searchCommand: PkgCommand = {
  summary: 'Search the registry for packages of parts',
  usage: 'amodal pkg search [WORD …] [--tag KIND] [--json] [--dir PATH]',
  about: [
    'Asks the registry of your npm settings for packages with the keyword amodal-parts. Nobody has reviewed them: read what one reaches before you install it.',
  ],
  examples: [
    ['amodal pkg search crm', 'packages that have to do with a CRM'],
    ['amodal pkg search --tag connection', 'those with the keyword connection'],
  ],
  options: {
    tag: { type: 'string', description: 'A further keyword that they have' },
    json: { type: 'boolean', description: 'Print the list as JSON' },
    ...FETCH_OPTIONS,
  },
  run: (context) =>
    withAgent(context, async (agent) => {
      const { options, print } = context
      const { tag } = options
      const found = await searchRegistry(
        context.arguments,
        typeof tag === 'string' ? tag : undefined,
        registryContext(context, agent),
      )
      if (!found.ok) return found
      if (options['json'] === true) print(JSON.stringify(found.value, undefined, 2))
      else if (found.value.length === 0) print('The registry has no such packages.')
      else
        for (const { name, version, description } of found.value)
          print(`${name} ${version}${description === undefined ? '' : `  ${oneLine(description)}`}`)
      return ok(undefined)
    }),
}
