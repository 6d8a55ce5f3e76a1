import {
  failure,
  err,
  ok,
  seenBy,
  type Agent,
  type AgentBundle,
  type BundleIssue,
  type Caller,
  type CompiledPrompt,
  type Failure,
  type Generation,
  type JsonObject,
  type KnowledgeDocument,
  type Result,
  type Skill,
} from '@amodal/sdk'

/** Kinds of texts of an agent. */
export type DocumentKind = 'skills' | 'knowledge'

/** Tools that read a text of which only the title is in the prompt. */
const READERS: Readonly<Record<DocumentKind, string>> = {
  skills: 'activate_skill',
  knowledge: 'load_knowledge',
}
/** The section of documents that a tenant has approved; they are not files. */
const APPROVED = 'knowledge-approved'

export interface DocumentsQuery {
  readonly agent: Agent
  readonly generation: Generation
  readonly roles: readonly string[]
  readonly caller: Caller | undefined
  readonly signal: AbortSignal
}

/**
 * The skills or the knowledge of the agent that the caller's roles may see: each with its
 * description, when it is in the prompt, and the problems of its file.
 */
export async function documentsReport(
  kind: DocumentKind,
  { agent, caller, generation, roles, signal }: DocumentsQuery,
): Promise<Result<JsonObject, Failure>> {
  const bundle = agent.bundle()
  if (!bundle) return ok({ [kind]: [] })
  const compiled = await agent.compiled(signal, roles, caller)
  if (!compiled.ok) return compiled
  const { prompt, tools } = compiled.value
  const isRead = tools.tools.some(({ name }) => name === READERS[kind])
  const seen = seenBy(bundle, roles, generation.scope)
  const loaded = isRead ? 'on_demand' : 'always'
  const documents =
    kind === 'skills'
      ? seen.skills.map((skill) => ({ ...skillView(skill), ...common(skill, bundle, loaded) }))
      : seen.knowledge.map((one) => ({ ...knowledgeView(one), ...common(one, bundle, loaded) }))
  return ok({ [kind]: [...documents, ...(kind === 'knowledge' ? approvedIn(prompt) : [])] })
}

/** One of them with its text. */
export function documentReport(
  kind: DocumentKind,
  name: string,
  { agent, generation, roles }: Pick<DocumentsQuery, 'agent' | 'generation' | 'roles'>,
): Result<JsonObject, Failure> {
  const bundle = agent.bundle()
  const seen = bundle && seenBy(bundle, roles, generation.scope)
  if (!bundle || !seen) return err(failure('NOT_FOUND', 'the agent has no files yet'))
  const skill = kind === 'skills' ? seen.skills.find((one) => one.name === name) : undefined
  if (skill) return ok({ ...skillView(skill), ...textOf(skill, bundle) })
  const document =
    kind === 'knowledge' ? seen.knowledge.find((one) => one.name === name) : undefined
  return document
    ? ok({ ...knowledgeView(document), ...textOf(document, bundle) })
    : err(failure('NOT_FOUND', `there is no such entry among the ${kind}`))
}

const skillView = ({
  allowedTools,
  compatibility,
  description,
  name,
  trigger,
}: Skill): JsonObject => ({
  name,
  description,
  trigger,
  ...(compatibility !== undefined && { compatibility }),
  ...(allowedTools && { allowed_tools: allowedTools }),
})

const knowledgeView = ({ name, tags = [], title }: KnowledgeDocument): JsonObject => ({
  name,
  title,
  tags,
})

type Text = Pick<Skill, 'body' | 'file'>

const common = ({ body, file }: Text, bundle: AgentBundle, loaded: string): JsonObject => ({
  file,
  chars: body.length,
  loaded,
  problems: problemsOf(file, bundle.issues),
})

const textOf = ({ body, file }: Text, { issues }: AgentBundle): JsonObject => ({
  file,
  chars: body.length,
  text: body,
  problems: problemsOf(file, issues),
})

const problemsOf = (file: string, issues: readonly BundleIssue[]): readonly JsonObject[] =>
  issues
    .filter((issue) => issue.file === file)
    .map(({ code, line, message, severity }) => ({
      code,
      severity,
      message,
      ...(line !== undefined && { line }),
    }))

/** Documents of the caller's tenant, which are in the prompt and in no file. */
const approvedIn = ({ sections }: CompiledPrompt): readonly JsonObject[] =>
  sections
    .filter(({ id }) => id === APPROVED)
    .flatMap(({ parts = [] }) =>
      parts.map(({ chars, name }) => ({
        name,
        title: name,
        tags: [],
        file: null,
        chars,
        loaded: 'always',
        problems: [],
      })),
    )
