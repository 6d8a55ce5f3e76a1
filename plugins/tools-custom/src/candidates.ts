import type { AgentBundle, BundleFile } from '@amodal/sdk'
import type { Issues } from '@amodal/sdk/files'
import type { CodeForm, Language } from './custom-tool.ts'

/** Files that should make up one tool. */
export interface Candidate {
  /** Of its folder or file. */
  readonly name: string
  readonly folder?: string
  readonly definition?: BundleFile
  readonly code?: {
    readonly file: BundleFile
    readonly language: Language
    readonly form?: CodeForm
  }
  /** All of its text files. */
  readonly files: readonly BundleFile[]
}

export interface Candidates {
  readonly found: readonly Candidate[]
  /** What begins with `_` in `tools/` is no tool, and code that all of them may import. */
  readonly shared: readonly BundleFile[]
}

const TYPESCRIPT = ['handler.ts', 'handler.mts', 'handler.js', 'handler.mjs']
/** A tool that is code alone, with its definition in it. */
const CODE_TOOL = ['tool.ts', 'tool.mts', 'tool.js', 'tool.mjs']
const TOOLS = /^(?:amodal\/)?tools\//
/** Code that tools import, in `tools/` or beside it. */
const SHARED = /^(?:amodal\/)?tools\/_|^amodal\/_(?:lib|types)\//
const SINGLE = /^(?:amodal\/)?tools\/([^/]+)\.(?:ts|mts|js|mjs)$/

/** Whether a file is code that all tools may import, and no tool. */
export const isSharedCode = (path: string): boolean => SHARED.test(path)

/**
 * What could be a tool among the files of the agent: folders of `tools/`, and single files there.
 */
export function candidatesIn({ files }: AgentBundle, issues: Issues): Candidates {
  const ours = files.filter(({ path }) => TOOLS.test(path) && !isSharedCode(path))
  const folders = Map.groupBy(
    ours.filter(({ path }) => path.replace(TOOLS, '').includes('/')),
    ({ path }) => /^(?:amodal\/)?tools\/[^/]+/.exec(path)?.[0] ?? '',
  )
  return {
    shared: files.filter(({ path }) => isSharedCode(path)),
    found: [
      ...[...folders].flatMap(([folder, inside]) => folderCandidate(folder, inside, issues) ?? []),
      ...ours.flatMap((file) => {
        const name = SINGLE.exec(file.path)?.[1]
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
  // Beside a handler without a tool.json it is code of that handler.
  const codeTool = code && !definition ? undefined : CODE_TOOL.map(at).find((file) => file)
  if (codeTool && definition) {
    issues.error('DUPLICATE_NAME', `this tool stands in ${definition.path} as well`, {
      file: codeTool.path,
      line: 1,
      fix: 'keep tool.json with handler.ts, or tool.ts alone',
    })
    return undefined
  }
  if (codeTool)
    return {
      name: folder.replace(TOOLS, ''),
      folder,
      files,
      code: { file: codeTool, language: 'typescript', form: 'tool' },
    }
  if (!definition && !code) {
    issues.warn('BAD_REPO', 'this folder is no tool: it has no tool.json, handler.ts or tool.ts', {
      file: folder,
      fix: 'add one of them, or begin its name with _ if it holds code that tools share',
    })
    return undefined
  }
  return {
    name: folder.replace(TOOLS, ''),
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
