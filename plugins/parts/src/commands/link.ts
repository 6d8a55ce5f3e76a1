import { err, type Failure, type Result } from '@amodal/sdk'
import type { PkgCommand, PkgContext } from '../pkg-command.ts'
import { PartsNotFound, withFix } from '../errors.ts'
import { fetchPackage, type FetchedPackage } from '../fetch-package.ts'
import type { AgentPackages } from '../locked.ts'
import { withNamed } from '../named-packages.ts'
import { parseSource } from '../source.ts'
import {
  fulfil,
  propose,
  registryContext,
  showProposal,
  withAgent,
  YES_OPTION,
} from './change-packages.ts'

/** `amodal pkg link FOLDER` */
export const linkCommand: PkgCommand = {
  summary: 'Use a package of parts from its folder while you write it',
  usage: 'amodal pkg link FOLDER [--yes] [--dir PATH]',
  about: [
    'The agent reads the files where they stand, so that an edit counts with the next load. They are not compared with a hash; what they reach is held to what you accept here. A link is for development: validate warns of it, and install --frozen refuses it.',
  ],
  examples: [['amodal pkg link ../our-parts', 'then edit ../our-parts and try it']],
  options: { yes: YES_OPTION },
  run(context) {
    const [folder, ...more] = context.arguments
    if (folder === undefined || more.length > 0) {
      context.fail('Name one folder: amodal pkg link FOLDER')
      return Promise.resolve(2)
    }
    return withAgent(context, (agent) => link(folder, agent, context))
  },
}

async function link(
  folder: string,
  agent: AgentPackages,
  context: PkgContext,
): Promise<Result<void, Failure>> {
  const source = await parseSource(`file:${folder.replace(/^file:/, '')}`, agent.root, agent.root)
  if (!source.ok) return source
  if (source.value.kind !== 'folder')
    return err(withFix(PartsNotFound(`${folder} is no folder`), 'use `amodal pkg install` for it'))
  const read = await fetchPackage(source.value, registryContext(context, agent))
  if (!read.ok) return read
  const { name } = read.value
  const fetched: FetchedPackage = {
    ...read.value,
    locked: { ...read.value.locked, link: true },
  }
  const { named, manifestText, locked } = agent
  const isNamed = named.some((one) => one.name === name)
  const proposal = await propose(
    {
      agent,
      named: isNamed ? named : [...named, { name, line: 1 }],
      manifestText: withNamed(manifestText, name, named),
      sources: new Map([[name, source.value]]),
      fetched: new Map([[name, fetched]]),
      locked: new Map([...locked].filter(([other]) => other !== name)),
    },
    context,
  )
  if (!proposal.ok) return proposal
  await showProposal(proposal.value, context)
  const isWider = proposal.value.changes.some(
    ({ kind, widened }) => kind === 'added' || widened.length > 0,
  )
  return fulfil(proposal.value, context, isWider)
}
