import type { AgentBundle, BundleFile } from '@amodal/sdk'
import type { Issues } from '@amodal/sdk/files'
import type { Language } from './custom-tool.ts'

/** Files that should make up one tool. */
export interface Candidate {
  /** Of its folder or file. */
  readonly name: string
  readonly folder?: string
  readonly definition?: BundleFile
  readonly code?: { readonly file: BundleFile; readonly language: Language }
  /** All of its text files. */
  readonly files: readonly BundleFile[]
}

export interface Candidates {
  readonly found: readonly Candidate[]
  /** What begins with `_` in `tools/` is no tool, and code that all of them may import. */
  readonly shared: readonly BundleFile[]
}

const TYPESCRIPT = ['handler.ts', 'handler.mts', 'handler.js', 'handler.mjs']
const SINGLE = /^tools\/([^/]+)\.(?:ts|mts|js|mjs)$/

/**
 * What could be a tool among the files of the agent: folders of `tools/`, and single files there.
 */
export function candidatesIn({ files }: AgentBundle, issues: Issues): Candidates {
  const ours = files.filter(({ path }) => path.startsWith('tools/'))
  const isShared = ({ path }: BundleFile): boolean => path.startsWith('tools/_')
  const folders = Map.groupBy(
    ours.filter((file) => !isShared(file) && file.path.split('/').length > 2),
    ({ path }) => path.split('/').slice(0, 2).join('/'),
  )
  return {
    shared: ours.filter(isShared),
    found: [
      ...[...folders].flatMap(([folder, inside]) => folderCandidate(folder, inside, issues) ?? []),
      ...ours.flatMap((file) => {
        const name = isShared(file) ? undefined : SINGLE.exec(file.path)?.[1]
        return name === undefined || name.endsWith('.d')
          ? []
          : [{ name, code: { file, language: 'typescript' as const }, files: [file] }]
      }),
    ],
  }
}

function folderCandidate(
  folder: string,
  files: readonly BundleFile[],
  issues: Issues,
): Candidate | undefined {
  const at = (name: string): BundleFile | undefined =>
    files.find(({ path }) => path === `${folder}/${name}`)
  const definition = at('tool.json')
  const typescript = TYPESCRIPT.map(at).find((file) => file !== undefined)
  const python = at('handler.py')
  // Where both stand, the definition has to say which one is meant; `languageOf` asks it.
  const code = typescript
    ? { file: typescript, language: 'typescript' as const }
    : python && { file: python, language: 'python' as const }
  if (!definition && !code) {
    issues.warn('BAD_REPO', 'this folder is no tool: it has neither a tool.json nor a handler.ts', {
      file: folder,
      fix: 'add one of them, or begin its name with _ if it holds code that tools share',
    })
    return undefined
  }
  return {
    name: folder.slice('tools/'.length),
    folder,
    files,
    ...(definition && { definition }),
    ...(code && { code }),
  }
}

/** The code in the language that a definition asks for. */
export function codeIn(
  { folder = '', files, code }: Candidate,
  language: Language | undefined,
): Candidate['code'] {
  if (language === undefined || code?.language === language) return code
  const file =
    language === 'python' ? files.find(({ path }) => path === `${folder}/handler.py`) : undefined
  return file && { file, language: 'python' }
}
