import type { AgentInstructions, BundleFile, KnowledgeDocument, Skill } from '@amodal/sdk'
import { Issues } from '@amodal/sdk/files'
import type { BundleIssue } from '@amodal/sdk'
import { isInstructions, readInstructions } from './instructions.ts'
import { isKnowledge, readKnowledge } from './knowledge.ts'
import { isSkill, readSkills } from './skills.ts'

/** What a document of the agent says. */
export interface AgentDocument {
  readonly skill: Skill | undefined
  readonly knowledge: KnowledgeDocument | undefined
  readonly instructions: AgentInstructions | undefined
  /** What is wrong with it. */
  readonly issues: readonly BundleIssue[]
}

/**
 * Reads one document as the agent's files are read: a skill, knowledge or the instructions, by its
 * path.
 *
 * @example
 * readDocument({ path: 'skills/refunds.md', text: '# Skill: Refunds' }).skill?.name // 'Refunds'
 */
export function readDocument(file: BundleFile): AgentDocument {
  const issues = new Issues()
  return {
    skill: isSkill(file.path) ? readSkills([file], issues)[0] : undefined,
    knowledge: isKnowledge(file.path) ? readKnowledge([file], issues)[0] : undefined,
    instructions: isInstructions(file.path) ? readInstructions([file], issues) : undefined,
    issues: issues.sorted(),
  }
}
