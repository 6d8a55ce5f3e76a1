import { ok } from '@amodal/sdk'
import { titleOf } from '@amodal/sdk/files'
import type { PartStarter } from '../tokens.ts'

/** `spare-parts` as `SparePart`: the name of one document. */
const entityOf = (name: string): string => {
  const words = name.split(/[_-]+/).filter((word) => word !== '')
  const camel = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  const singular = camel.replace(/(?<=[^su])s$/, '')
  return /^\d/.test(singular) ? `Item${singular}` : singular
}

const store: PartStarter = {
  summary: 'typed documents that the agent reads and writes',
  part: ({ name }) =>
    ok({
      files: [
        {
          path: `stores/${name}.json`,
          text: `${JSON.stringify(
            {
              description: `What one document of ${name} stands for.`,
              entity: {
                name: entityOf(name),
                key: '{id}',
                schema: {
                  id: { type: 'string', description: 'Such as A-1' },
                  title: { type: 'string' },
                  status: { type: 'enum', values: ['open', 'done'] },
                  notes: { type: 'string', nullable: true },
                },
              },
              history: { versions: 5 },
            },
            undefined,
            2,
          )}\n`,
        },
      ],
      next: [
        'Write its fields; types and limits: `amodal docs write-an-agent#stores`',
        `Documents to begin with: a list in stores/${name}.seed.json`,
      ],
    }),
}

const skill: PartStarter = {
  summary: 'a method for a kind of task',
  part: ({ name }) =>
    ok({
      files: [
        {
          path: `skills/${name}.md`,
          text: `# Skill: ${titleOf(name)}

What this method is for, in a sentence.

Trigger: When a person asks for it, and in which words.

## Steps

1. What to look up first, and where.
2. What to decide from it.
3. What to answer, and in which form.
`,
        },
      ],
      next: ['Write when it is used (`Trigger`), and its steps'],
    }),
}

/** The kinds whose files this plugin reads. */
export const ownStarters: Readonly<Record<string, PartStarter>> = { store, skill }
