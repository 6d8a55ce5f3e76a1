import { err } from '@amodal/sdk'
import type { PkgCommand } from '../pkg-command.ts'
import { didYouMean } from '@amodal/sdk/files'
import { PartsNotFound, withFix } from '../errors.ts'
import { withoutNamed } from '../named-packages.ts'
import { FETCH_OPTIONS, fulfil, propose, showProposal, withAgent } from './change-packages.ts'

/** `amodal pkg uninstall NAME` */
export const uninstallCommand: PkgCommand = {
  summary: 'Remove a package of parts, and what only it needs',
  usage: 'amodal pkg uninstall NAME [--offline] [--dir PATH]',
  about: [
    'Takes it out of amodal.json and amodal.lock in one change, and removes its files. Parts of the agent folder stay as they are.',
  ],
  examples: [
    ['amodal pkg uninstall @acme/crm-parts', 'its parts are not there from the next turn'],
  ],
  options: FETCH_OPTIONS,
  run(context) {
    const [name, ...more] = context.arguments
    if (name === undefined || more.length > 0) {
      context.fail('Name one package: amodal pkg uninstall NAME')
      return Promise.resolve(2)
    }
    return withAgent(context, async (agent) => {
      const { named, manifestText, locked } = agent
      const names = named.map((one) => one.name)
      if (!names.includes(name)) {
        const meant = didYouMean(name, names)
        return err(
          withFix(
            PartsNotFound(
              `amodal.json names no package ${name}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
            ),
            names.length === 0 ? 'it names none' : `it names: ${names.join(', ')}`,
          ),
        )
      }
      const proposal = await propose(
        {
          agent,
          named: named.filter((one) => one.name !== name),
          manifestText: withoutNamed(manifestText, name, named),
          locked,
        },
        context,
      )
      if (!proposal.ok) return proposal
      await showProposal(proposal.value, context)
      return fulfil(proposal.value, context, false)
    })
  },
}
