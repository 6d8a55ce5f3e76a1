import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { hashOf, type AgentBundle, type BundleFile, type BundleIssue, timeLimit } from '@amodal/sdk'
import { compare, Issues, TAKEN_FIX, takenMessage } from '@amodal/sdk/files'
import { packageFolderOf } from '@amodal/sdk/packages'
import { candidatesIn, isSharedCode, type Candidate } from './candidates.ts'
import { PART, type CustomTool } from './custom-tool.ts'
import type { ReadParts, Reading } from './reading.ts'

const AT_ONCE = 3
/** Less than the loop gives to `bundle.load`. */
const READ_MS = 45_000

/**
 * The bundle with the tools of its files. One that cannot be used is left out, with the reason; the
 * others are there.
 */
export async function readTools(
  bundle: AgentBundle,
  parts: ReadParts,
): Promise<AgentBundle | undefined> {
  const issues = new Issues()
  const { found, shared } = candidatesIn(bundle, issues)
  if (found.length === 0 && issues.sorted().length === 0) return undefined
  await parts.isolation.admit(
    bundle,
    found.flatMap(({ code }) => (code ? [code.file.path] : [])),
  )
  const { readTool } = await import('./read-tool.ts')
  const signal = timeLimit(READ_MS, 'reading the tools')
  const references: AgentBundle['references'][number][] = []
  const reading: Reading = {
    ...parts,
    bundle,
    root: bundle.root,
    shared: sharedWith(undefined, shared, bundle),
    issues,
    signal,
    refer: (reference) => references.push(reference),
  }
  const read = await eachOf(
    found,
    async (candidate) =>
      heldTool(candidate, bundle, parts.inUse) ??
      readTool(candidate, await readingFor(candidate, reading, shared)),
  )
  const tools = withoutTwins(read, issues)
  return {
    ...bundle,
    // Binary files and installed packages are not in the bundle's own hash, and change what a tool
    // is.
    hash: hashOf([bundle.hash, JSON.stringify(tools)]),
    parts: {
      ...bundle.parts,
      [PART]: JSON.parse(JSON.stringify(tools)) as AgentBundle['parts'][string],
    }, // what was just written as JSON
    references: [...bundle.references, ...references.sort((a, b) => compare(a.where, b.where))],
    issues: [...bundle.issues, ...(issues.sorted() satisfies readonly BundleIssue[])],
  }
}

/** Of a tool of a package the files and the code that it shares stand in the package's folder. */
async function readingFor(
  { files: [file] }: Candidate,
  reading: Reading,
  shared: readonly BundleFile[],
): Promise<Reading> {
  const { bundle } = reading
  const packageFolder = file && packageFolderOf(bundle, file.path)
  if (packageFolder === undefined || bundle.root === undefined) return reading
  const folder = join(bundle.root, packageFolder)
  return {
    ...reading,
    root: await realpath(folder).catch(() => folder),
    packageFolder,
    shared: sharedWith(packageFolder, shared, bundle),
  }
}

const sharedWith = (
  packageFolder: string | undefined,
  shared: readonly BundleFile[],
  bundle: AgentBundle,
): readonly BundleFile[] =>
  shared.filter(({ path }) => packageFolderOf(bundle, path) === packageFolder)

/**
 * The tool as it is in use, where an edit of its files is held back: what stands in the folder is
 * not what is in the bundle.
 */
function heldTool(
  { folder, files }: Candidate,
  { held }: AgentBundle,
  inUse: readonly CustomTool[],
): CustomTool | undefined {
  const isOurs = (path: string): boolean =>
    isSharedCode(path) ||
    files.some((file) => file.path === path) ||
    (folder !== undefined && path.startsWith(`${folder}/`))
  return held?.paths.some(isOurs) === true
    ? inUse.find(({ file }) => files.some(({ path }) => path === file))
    : undefined
}

async function eachOf(
  candidates: readonly Candidate[],
  read: (candidate: Candidate) => Promise<CustomTool | undefined>,
): Promise<readonly CustomTool[]> {
  const tools: (CustomTool | undefined)[] = []
  const rest = candidates.entries()
  const worker = async (): Promise<void> => {
    for (const [index, candidate] of rest) tools[index] = await read(candidate)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return tools.filter((tool) => tool !== undefined)
}

/** Keeps the first tool of each name. */
function withoutTwins(tools: readonly CustomTool[], issues: Issues): readonly CustomTool[] {
  return tools.filter(({ name, file }, index) => {
    const first = tools.find((one) => one.name === name)
    if (first === tools[index]) return true
    issues.error('DUPLICATE_NAME', takenMessage('this file', { name, by: first?.file ?? '' }), {
      file,
      line: 1,
      fix: TAKEN_FIX,
    })
    return false
  })
}
