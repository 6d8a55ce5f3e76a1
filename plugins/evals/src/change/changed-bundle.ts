import {
  err,
  hashOf,
  ok,
  type AgentBundle,
  type BundleFile,
  type Failure,
  type Json,
  type Result,
} from '@amodal/sdk'
import { errorsIn } from '@amodal/sdk/files'
import { bundleWith } from '@amodal/plugin-loop/tokens'
import { readDocument } from '@amodal/plugin-repo-files/tokens'
import { ChangeInvalid } from '../errors.ts'
import { changeText, type Change } from './change.ts'
import { nameIn, plainName } from './document-name.ts'

/** A change that is sent: a document of the agent with another content. */
export type DocumentChange = Extract<Change, { kind: 'skill' | 'knowledge' | 'prompt' }>

/** An agent with other documents, and their texts. */
export interface ChangedBundle {
  readonly bundle: AgentBundle
  readonly texts: readonly BundleFile[]
}

/**
 * The files of an agent with other documents, in memory: what its model is sent is compiled of
 * them.
 *
 * @returns `EVAL_CHANGE_INVALID` where a document replaces nothing, or cannot be read
 */
export function changedBundle(
  bundle: AgentBundle,
  changes: readonly DocumentChange[],
): Result<ChangedBundle, Failure> {
  let changed = bundle
  const texts: BundleFile[] = []
  for (const change of changes) {
    const path = pathOf(changed, change)
    if (!path.ok) return path
    const file = { path: path.value, text: change.content.replaceAll('\r\n', '\n') }
    const next = withDocument(changed, change, file)
    if (!next.ok) return next
    changed = next.value
    texts.push(file)
  }
  const hash = hashOf([bundle.hash, JSON.parse(JSON.stringify(changes)) as Json])
  const { instructions, knowledge, skills } = changed
  return ok({ bundle: bundleWith(bundle, { hash, instructions, knowledge, skills }), texts })
}

function withDocument(
  bundle: AgentBundle,
  change: DocumentChange,
  text: BundleFile,
): Result<AgentBundle, Failure> {
  const file = text.path
  const read = readDocument(text)
  const { instructions, knowledge, skill } = read
  if (skill)
    return ok({ ...bundle, skills: bundle.skills.map((one) => (one.file === file ? skill : one)) })
  if (knowledge)
    return ok({
      ...bundle,
      knowledge: bundle.knowledge.map((one) => (one.file === file ? knowledge : one)),
    })
  if (instructions) return ok({ ...bundle, instructions })
  const [issue] = errorsIn(read.issues)
  return err(
    ChangeInvalid(
      `${changeText(change)}: ${issue ? `line ${issue.line ?? 1}: ${issue.message}` : 'it cannot be read'}`,
    ),
  )
}

/** The file of the document that is replaced. */
function pathOf(bundle: AgentBundle, change: DocumentChange): Result<string, Failure> {
  switch (change.kind) {
    case 'prompt':
      return ok(bundle.instructions?.file ?? 'agents/main/AGENT.md')
    case 'knowledge':
      return found(change, bundle.knowledge, [change.name])
    case 'skill':
      return found(change, bundle.skills, [nameIn(change.content), change.name])
    default:
      return change satisfies never
  }
}

function found(
  change: DocumentChange,
  documents: readonly { readonly name: string; readonly file: string }[],
  names: readonly (string | undefined)[],
): Result<string, Failure> {
  const wanted = names.flatMap((name) => (name === undefined ? [] : [name]))
  const document = wanted.flatMap(
    (name) => documents.find((one) => plainName(one.name) === plainName(name)) ?? [],
  )[0]
  if (document) return ok(document.file)
  const known = documents.map(({ name }) => name).sort()
  return err(
    ChangeInvalid(
      `${change.kind}: the agent has none called "${wanted[0] ?? ''}"; there are: ${known.join(', ')}`,
    ),
  )
}
