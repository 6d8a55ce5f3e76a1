import { err, ok, type Failure, type Result } from '@amodal/sdk'
import type { PkgCommand, PkgContext } from '../pkg-command.ts'
import { PartsNotFound, withFix } from '../errors.ts'
import type { AgentPackages } from '../locked.ts'
import {
  FETCH_OPTIONS,
  fulfil,
  propose,
  showProposal,
  withAgent,
  YES_OPTION,
  type Proposal,
} from './change-packages.ts'

/** `amodal pkg update [NAME]` */
export const updateCommand: PkgCommand = {
  summary: 'Update packages of parts, and show what changes',
  usage: 'amodal pkg update [NAME] [--yes] [--offline] [--dir PATH]',
  about: [
    'Takes the newest version that the source allows: of a registry, a branch of git, or a folder. You see what changes in its files. An update that reaches more than you have accepted is shown and asks first; where nobody can be asked it is refused.',
  ],
  examples: [
    ['amodal pkg update', 'all packages that amodal.json names'],
    ['amodal pkg update @acme/crm-parts --yes', 'one; you have read `amodal pkg diff`'],
  ],
  options: { yes: YES_OPTION, ...FETCH_OPTIONS },
  run: (context) =>
    withAgent(context, async (agent) => {
      const proposal = await proposeUpdate(agent, context)
      if (!proposal.ok) return proposal
      await showProposal(proposal.value, context)
      const isWider = proposal.value.changes.some(({ widened }) => widened.length > 0)
      return fulfil(proposal.value, context, isWider)
    }),
}

/** `amodal pkg diff [NAME]` */
export const diffCommand: PkgCommand = {
  summary: 'Show what an update of packages would change',
  usage: 'amodal pkg diff [NAME] [--offline] [--dir PATH]',
  about: [
    'Fetches what `amodal pkg update` would take, and shows files, capabilities and access rules that would change. Nothing is written.',
  ],
  examples: [['amodal pkg diff @acme/crm-parts', 'before you update it']],
  options: FETCH_OPTIONS,
  run: (context) =>
    withAgent(context, async (agent) => {
      const proposal = await proposeUpdate(agent, context)
      if (!proposal.ok) return proposal
      await showProposal(proposal.value, context)
      if (proposal.value.changes.length === 0) context.print('Nothing would change.')
      return ok(undefined)
    }),
}

async function proposeUpdate(
  agent: AgentPackages,
  context: PkgContext,
): Promise<Result<Proposal, Failure>> {
  const [name, ...more] = context.arguments
  const { named, manifestText, locked } = agent
  if (more.length > 0) return err(PartsNotFound('name one package, or none for all'))
  if (name !== undefined && !locked.has(name))
    return err(
      withFix(
        PartsNotFound(`amodal.lock has no package ${name}`),
        `it has: ${[...locked.keys()].join(', ')}`,
      ),
    )
  const staying = new Map([...locked].filter(([other]) => name !== undefined && other !== name))
  return propose({ agent, named, manifestText, locked: staying }, context)
}
