import { budgetOf, estimateTokens, type Budget } from '@amodal/plugin-prompt/tokens'
import { ok, type Agent, type CompiledPrompt, type Failure, type JsonObject, type Result } from '@amodal/sdk'

/** What the model is sent now, made by the compiler that makes it for the model, and what each part costs. */
export async function contextReport(agent: Agent, signal: AbortSignal): Promise<Result<JsonObject, Failure>> {
  const compiled = await agent.compiled(signal)
  if (!compiled.ok) return compiled
  const { prompt, tools, model } = compiled.value
  const bundle = agent.bundle()
  const budget = budgetOf(prompt, tools)
  return ok({
    repo_path: bundle?.root ?? null, name: bundle?.manifest.name ?? null,
    model: model?.model ?? null, provider: model?.provider ?? null, ...(model?.notice !== undefined && { notice: model.notice }),
    system_prompt: prompt.text, system_prompt_length: prompt.text.length,
    token_usage: {
      total: budget.window, used: budget.total, remaining: budget.available,
      sectionBreakdown: Object.fromEntries(budget.rows.map(({ category, tokens }) => [category, tokens])),
    },
    contributions: contributions(prompt, budget),
    tools: tools.tools.filter(({ hidden }) => !hidden).map(({ name, description, readOnly }) => ({ name, description, read_only: readOnly })),
    connections: [], connectionFiles: [], mcpServers: [], automations: [],
    skills: bundle?.skills.map(({ name, description, file }) => ({ name, description, filePath: file })) ?? [],
    knowledge: bundle?.knowledge.map(({ name, title, file }) => ({ name, title, filePath: file })) ?? [],
  })
}

/** One line for each file or tool that takes room; a section that is not made of parts is one itself. */
function contributions(prompt: CompiledPrompt, budget: Budget): readonly JsonObject[] {
  const whole = prompt.sections.filter(({ parts }) => (parts ?? []).length === 0)
  return [
    ...whole.map(({ id, title, body, category, plugin }) => ({ name: title || id, category, tokens: estimateTokens(body.length), plugin })),
    ...budget.rows.flatMap(({ category, parts }) => parts.map(({ name, tokens, file }) => ({ name, category, tokens, ...(file !== undefined && { filePath: file }) }))),
  ]
}
