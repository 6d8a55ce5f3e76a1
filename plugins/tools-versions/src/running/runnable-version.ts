import { ok, type Failure, type Result } from '@amodal/sdk'
import type { ToolRow, VersionRow } from '../tables.ts'
import type { VersionStore } from '../storage/version-store.ts'
import { versionText } from '../versions.ts'
import type { CodeFolders } from './code-folders.ts'
import type { RunnableTool } from './tool-runner.ts'

/** A published version, with its code in a folder. */
export async function runnableVersion(
  { id, name }: Pick<ToolRow, 'id' | 'name'>,
  row: VersionRow,
  versions: VersionStore,
  folders: CodeFolders,
): Promise<Result<RunnableTool, Failure>> {
  const { archive, entry, language, input, output } = row
  const folder = await folders.folder(archive, () => versions.archive(archive))
  if (!folder.ok) return folder
  const code = { folder: folder.value, entry, language, digest: archive }
  const contract = { input, output: output ?? undefined }
  return ok({ id, name, version: versionText(row), code, contract })
}
