export { AmodalProvider, useAmodalClient, type AmodalProviderProps } from './provider.tsx'

// Conversations.
export { useChat, type Chat, type ChatSendOptions, type UseChatOptions } from './hooks/use-chat.ts'
export { useSession, type UsedSession } from './hooks/use-session.ts'
export { useApprovals, type Approvals, type PendingAsk } from './hooks/use-approvals.ts'
export { useAttachments, type Attachment, type Attachments } from './hooks/use-attachments.ts'

// Data, work and opinions.
export { useAgentState, type AgentState } from './hooks/use-agent-state.ts'
export {
  useStore,
  useStoreList,
  type RefreshOptions,
  type StoreDocument,
  type StoreList,
  type StoreListOptions,
} from './hooks/use-store.ts'
export { useTask, type Task } from './hooks/use-task.ts'
export { useAgentRun, type AgentRun } from './hooks/use-agent-run.ts'
export { useFeedback, type Feedback } from './hooks/use-feedback.ts'

// Single questions, and endpoints of your own.
export {
  useSkillAction,
  type SkillAction,
  type SkillActionOptions,
} from './hooks/use-skill-action.ts'
export {
  useAmodalBrief,
  useAmodalChat,
  useAmodalInsight,
  useAmodalQuery,
  useAmodalTask,
  type Query,
  type TopicAction,
} from './hooks/use-amodal.ts'
export type { AskOutcome, AskState } from './hooks/use-ask.ts'
export {
  useChatStream,
  type ChatStream,
  type ChatStreamInput,
  type ChatStreamOptions,
  type StreamFn,
} from './hooks/use-chat-stream.ts'

// Components without looks.
export { ChatRoot, useChatContext, type ChatRootProps } from './components/chat-context.tsx'
export {
  ChatAsks,
  ChatComposer,
  ChatMessages,
  useComposer,
  type AskActions,
  type ChatAsksProps,
  type ChatComposerProps,
  type ChatMessagesProps,
  type ComposerState,
} from './components/headless.tsx'

// Components with looks, which style.css has.
export { AmodalChat, type AmodalChatProps } from './components/amodal-chat.tsx'
export { AmodalAction, type AmodalActionProps } from './components/amodal-action.tsx'
export { ChatWidget, type ChatWidgetProps } from './components/chat-widget.tsx'
export { Markdown, type MarkdownProps } from './components/markdown.tsx'
export { AskCard, type AskCardProps } from './components/ask-card.tsx'
export type { WidgetProps } from './components/item-view.tsx'
