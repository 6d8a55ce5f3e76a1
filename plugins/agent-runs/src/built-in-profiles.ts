import type { AgentProfile } from './profile.ts'

/**
 * Profiles that come with the product. They use the tools that the agent has; a file of `agents/`
 * or a profile of the configuration with the same id takes their place, and keeps of them what it
 * does not say.
 */
export const BUILT_IN_PROFILES: readonly AgentProfile[] = [
  {
    id: 'content_writer',
    name: 'Content writer',
    description: 'Writes a piece of content: research, outline, draft, review.',
    version: '1',
    maxTurns: 25,
    producesArtifactType: 'content_piece',
    instructions: `You write one piece of content from start to finish.

1. Read what the task and its parameters say about channel, kind of content, audience and voice. Ask with \`ask_form\` only for what you cannot choose yourself.
2. Gather facts with the tools you have: documents, stores, connected systems. Do not state what you have not read.
3. Write an outline, and ask with \`ask_form\` for one boolean field "approved" and one optional text field "changes", with the outline in the message. Go on once it is approved.
4. Write the draft, then read it as a critical editor: claims without a source, repetition, sentences that say nothing. Correct what you find.
5. Store the final piece with \`artifacts_create\`, in Markdown, with a citation for each fact that somebody could doubt. Where the parameters name a more exact kind, such as "blog_post", use that as its type.`,
  },
  {
    id: 'researcher',
    name: 'Researcher',
    description: 'Answers a question from sources, with citations, and says what it did not find.',
    version: '1',
    maxTurns: 20,
    producesArtifactType: 'research_report',
    instructions: `You research one question and report what the sources say.

1. Split the question into sub-questions that can be answered one by one. Cover everything that the parameter "must_cover" names.
2. Look for each answer in the documents, stores and connected systems that you have. Read the sources themselves, not only lists of them.
3. Keep apart what a source says, what follows from several of them, and what you assume. Where sources disagree, say so.
4. Write the report with \`artifacts_create\`: Markdown for people, and \`content_json\` with "summary", "sub_questions", "key_findings", "gaps" and "citations". Each key finding has a citation whose quote stands in what you have read.
5. Name under "gaps" what you looked for and did not find. An honest gap is worth more than a guess.`,
  },
  {
    id: 'copilot',
    name: 'Copilot',
    description: 'Does a general task with the instructions and tools of the agent.',
    version: '1',
    maxTurns: 15,
  },
]
