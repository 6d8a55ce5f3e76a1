import type { StarterFile } from '../tokens.ts'
import type { Starter } from './providers.ts'

/** Folders that are there from the beginning, for what is to come. */
export const EMPTY_FOLDERS = ['connections', 'automations', 'evals'] as const

export type { StarterFile } from '../tokens.ts'

/** The files of a new agent; the manifest last, since it is what makes the folder one. */
export const starterFiles = (
  name: string,
  provider: Starter | undefined,
): readonly StarterFile[] => [
  { path: '.gitignore', text: '# Keys, and the data of the agent\n.env\n.amodal/\n' },
  { path: 'skills/general.md', text: SKILL },
  { path: 'knowledge/welcome.md', text: welcome(name) },
  {
    path: 'amodal.json',
    text: `${JSON.stringify(manifestOf(name, provider), null, 2)}\n`,
  },
]

const manifestOf = (name: string, provider: Starter | undefined): object => ({
  name,
  version: '0.1.0',
  ...(provider && { models: { main: { provider: provider.name, model: provider.model } } }),
})

const SKILL = `# Skill: General

How to answer when no other skill fits.

Trigger: Any question.

## Steps

1. Find out what the person wants to know or to have done. If it can mean two things, ask.
2. Look at what there is before answering: knowledge, stores, connections.
3. Answer with what was found, and say where it is from. If nothing was found, say so.
`

const welcome = (name: string): string => `# Welcome

${name} is a new agent. Nobody has told it yet whom it works for and what it should know.

In place of this text, knowledge/welcome.md should say what ${name} has to know in every conversation: who asks, about what, and
which words they use for it.
`
