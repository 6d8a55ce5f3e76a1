import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react'
import type { Admin, AgentFile } from '../model/admin.ts'
import { useReport } from '../views/use-report.ts'
import { FileText } from './file-text.tsx'

interface Folder {
  readonly name: string
  readonly path: string
  readonly folders: readonly Folder[]
  readonly files: readonly AgentFile[]
}

/** The agent's files as a tree, and the text of one. */
export function AgentFiles({
  admin,
  news,
  file,
}: {
  readonly admin: Admin
  readonly news: unknown
  /** The one that is open at first. */
  readonly file: string | undefined
}): ReactNode {
  const { value: files, problem, refresh } = useReport(useCallback(() => admin.files(), [admin]))
  const [path, setPath] = useState(file)
  const tree = useRef<HTMLDivElement>(null)
  useEffect(() => refresh(), [news])
  const back = (): void => {
    const from = path
    setPath(undefined)
    requestAnimationFrame(() => {
      const buttons = [...(tree.current?.querySelectorAll<HTMLElement>('[data-path]') ?? [])]
      buttons.find(({ dataset }) => dataset['path'] === from)?.focus()
    })
  }
  if (path !== undefined) return <FileText {...{ admin, path, news }} onBack={back} />
  return (
    <div ref={tree} className="tree">
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {files?.length === 0 && (
        <p className="muted hint">The agent has no files beside amodal.json yet.</p>
      )}
      {files && files.length > 0 && <Branch folder={treeOf('', '', files)} onPick={setPath} />}
    </div>
  )
}

function Branch({
  folder,
  onPick,
}: {
  readonly folder: Folder
  readonly onPick: (path: string) => void
}): ReactNode {
  return (
    <ul>
      {folder.folders.map((one) => (
        <li key={one.path}>
          <details open>
            <summary>{one.name}/</summary>
            <Branch folder={one} onPick={onPick} />
          </details>
        </li>
      ))}
      {folder.files.map(({ carries_rights: hasRights, path }) => (
        <li key={path}>
          <button
            type="button"
            className="quiet"
            data-path={path}
            title={hasRights ? `${path}: decides what may be done` : path}
            onClick={() => onPick(path)}
          >
            {path.slice(path.lastIndexOf('/') + 1)}
          </button>
          {hasRights && <span className="tag">rights</span>}
        </li>
      ))}
    </ul>
  )
}

function treeOf(name: string, path: string, files: readonly AgentFile[]): Folder {
  const start = path === '' ? 0 : path.length + 1
  const own: AgentFile[] = []
  const below = new Map<string, AgentFile[]>()
  for (const file of files) {
    const end = file.path.indexOf('/', start)
    if (end === -1) own.push(file)
    else {
      const folder = file.path.slice(start, end)
      below.set(folder, [...(below.get(folder) ?? []), file])
    }
  }
  return {
    name,
    path,
    files: own,
    folders: [...below].map(([folder, inside]) =>
      treeOf(folder, path === '' ? folder : `${path}/${folder}`, inside),
    ),
  }
}
