import { writeTarball } from '@amodal/plugin-parts/tokens'
import { PROJECT_FILE } from '../publish/project.ts'
import { PYTHON_SCAFFOLD, PYTHON_TOOL } from './python-files.ts'
import { TYPESCRIPT_SCAFFOLD, TYPESCRIPT_TOOL } from './typescript-files.ts'

export const LANGUAGES = ['typescript', 'python'] as const
export type Language = (typeof LANGUAGES)[number]

/** Texts by path. */
export type Files = Readonly<Record<string, string>>

/** The first folder of the archive, and its name. */
const TOP = 'amodal_tool_scaffold'
export const ARCHIVE = `${TOP}.tar.gz`

const README = `# Tools

What a tool of an organization begins with, in TypeScript and in Python.

1. Copy \`typescript_tool\` or \`python_tool\` into the root of the repository of your organization,
   and give the folder the name of your tool. \`name\` in its \`tool.json\` is the same.
2. Change \`tool.json\` and the code. Files of the scaffold (\`amodal_tool_scaffold\`) have types
   alone, for editors and for the checks of a publication; leave them as they are.
3. Commit, push, and publish.

With the command line, in a clone of the repository:

    amodal tool-scaffold new check_order --language python
    amodal tool-scaffold install --all

The second one brings the scaffold of all tools up to date.
`

const SCAFFOLDS: Readonly<Record<Language, Files>> = {
  typescript: { 'amodal_tool_scaffold.ts': TYPESCRIPT_SCAFFOLD },
  python: PYTHON_SCAFFOLD,
}

const SAMPLES: Readonly<Record<Language, Files>> = {
  typescript: { 'tool.ts': TYPESCRIPT_TOOL },
  python: { 'tool.py': PYTHON_TOOL },
}

/** The types of a language, by path below the folder of a tool. */
export const scaffoldOf = (language: Language): Files => SCAFFOLDS[language]

/** The files of a new tool, by path below its folder. */
export const newTool = (name: string, language: Language): Files => ({
  [PROJECT_FILE]: projectText(name, language),
  ...SAMPLES[language],
  ...SCAFFOLDS[language],
})

function projectText(name: string, language: Language): string {
  const order = { type: 'integer', description: 'The number of the order' }
  const project = {
    name,
    description: 'Says where an order is.',
    language,
    input: { type: 'object', properties: { order }, required: ['order'] },
    output: {
      type: 'object',
      properties: { order: { type: 'integer' }, status: { type: 'string' } },
      required: ['order', 'status'],
    },
    env: [],
    checks: [{ name: 'finds an order', input: { order: 7 }, expect: { status: 'shipped' } }],
  }
  return `${JSON.stringify(project, null, 2)}\n`
}

/** All of it as tar and gzip: a tool of each language, and what to do with them. */
export function scaffoldArchive(): Promise<Uint8Array> {
  const files: Files = {
    'README.md': README,
    ...inFolder('typescript_tool', 'typescript'),
    ...inFolder('python_tool', 'python'),
  }
  return writeTarball(
    TOP,
    Object.entries(files).map(([path, text]) => ({ path, bytes: Buffer.from(text) })),
  )
}

const inFolder = (name: string, language: Language): Files =>
  Object.fromEntries(
    Object.entries(newTool(name, language)).map(([path, text]) => [`${name}/${path}`, text]),
  )
