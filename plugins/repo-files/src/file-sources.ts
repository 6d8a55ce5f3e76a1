import { registry, type BundleFile, type BundleIssue, type JsonObject } from '@amodal/sdk'
import { Issues, readJsonObject } from '@amodal/sdk/files'

/** The files of an agent folder, before other sources add theirs. */
export interface OwnFiles {
  /** A real path. */
  readonly root: string
  readonly files: readonly BundleFile[]
}

/** The files of a folder together with those of a source. */
export interface CombinedFiles {
  readonly files: readonly BundleFile[]
  readonly issues: readonly BundleIssue[]
  /** Errors that stop the agent from starting. */
  readonly blocked: readonly BundleIssue[]
}

/** Adds files that stand outside of the folders of the format, such as those of packages. */
export interface FileSource {
  /** @returns all files, those of the folder among them */
  combine(own: OwnFiles, signal: AbortSignal): Promise<CombinedFiles>
}

/**
 * Sources of further files, by a name of their own. Whatever reads an agent folder reads them too:
 * the running agent, `validate`, and checks of a copy.
 *
 * @example
 * add(FileSources, 'packages', {
 *   combine: (own) => Promise.resolve({ files: own.files, issues: [], blocked: [] }),
 * })
 */
export const FileSources = registry<FileSource>('file-sources')

interface Texts extends OwnFiles {
  readonly issues: readonly BundleIssue[]
  readonly blocked?: readonly BundleIssue[]
}

/** The texts of a folder with those of all sources. */
export async function withFileSources<T extends Texts>(
  texts: T,
  sources: readonly FileSource[],
  signal: AbortSignal,
): Promise<T> {
  if (sources.length === 0) return { ...texts, blocked: withoutSource(texts.files) }
  let combined = texts
  for (const source of sources) {
    const { files, issues, blocked } = await source.combine(combined, signal)
    combined = {
      ...combined,
      files,
      issues: new Issues([...combined.issues, ...issues]).sorted(),
      blocked: [...(combined.blocked ?? []), ...blocked],
    }
  }
  return combined
}

/** An agent without the packages that it names is another agent than the one that was written. */
function withoutSource(files: readonly BundleFile[]): readonly BundleIssue[] {
  const source = files.find(({ path }) => path === 'amodal.json')
  const json = source && readJsonObject(source, new Issues())
  const manifest: JsonObject = json?.value ?? {}
  if (manifest['packages'] === undefined) return []
  return [
    {
      severity: 'error',
      code: 'BAD_REPO',
      message: '`packages` names packages of parts, and nothing here reads them',
      file: 'amodal.json',
      line: json?.lineOf(['packages']) ?? 1,
      fix: 'add the plugin `parts` to the wiring, or remove `packages`',
    },
  ]
}
