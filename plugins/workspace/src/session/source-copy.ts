import { ok, type AsyncResult, type Failure, err } from '@amodal/sdk'
import { WorkspaceFull, WorkspaceSourceMissing } from '../errors.ts'
import type { WorkspaceFiles } from '../gate/workspace-files.ts'
import { parsePath } from '../gate/workspace-path.ts'
import { walk } from './walk.ts'

/**
 * Copies a folder of the agent into a new workspace. Links are copied as links; what is neither a
 * file, a folder nor a link is left out.
 */
export async function copySource(
  agent: WorkspaceFiles,
  source: string,
  target: WorkspaceFiles,
  quota: { readonly bytes: number; readonly files: number },
  signal: AbortSignal,
): AsyncResult<void> {
  const present = await agent.list(source)
  if (!present.ok) return err(missing(source, present.error))
  let bytes = 0
  let count = 0
  const names = parsePath(source)
  if (!names.ok) return names
  const prefix = `${names.value.join('/')}/`
  for await (const { path, kind, size, mode } of walk(agent, prefix, {
    most: quota.files + 1,
    signal,
  })) {
    count += 1
    bytes += size
    if (count > quota.files || bytes > quota.bytes)
      return err(WorkspaceFull(`the source ${JSON.stringify(source)} is larger than the quota`))
    const below = path.slice(prefix.length)
    const copied = await copyEntry(agent, path, target, below, { kind, size, mode })
    if (!copied.ok) return err(missing(source, copied.error))
  }
  return ok(undefined)
}

async function copyEntry(
  agent: WorkspaceFiles,
  from: string,
  target: WorkspaceFiles,
  to: string,
  { kind, size, mode }: { readonly kind: string; readonly size: number; readonly mode: number },
): AsyncResult<void> {
  if (kind === 'folder') return target.makeFolder(to)
  if (kind === 'link') {
    const pointed = await agent.linkTarget(from)
    return pointed.ok ? target.link(to, pointed.value) : pointed
  }
  if (kind !== 'file') return ok(undefined)
  const content = await agent.read(from, size)
  // A server that is another user than the owner of the agent has to be able to write it.
  return content.ok ? target.write(to, content.value.bytes, mode | 0o600) : content
}

const missing = (source: string, cause: Failure): Failure =>
  WorkspaceSourceMissing(`${JSON.stringify(source)} cannot be copied: ${cause.message}`, { cause })
