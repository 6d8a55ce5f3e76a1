export { AmodalProvider, useAmodalClient, type AmodalProviderProps } from './provider.tsx'

// Conversations.
export { useChat, type Chat, type ChatSendOptions, type UseChatOptions } from './hooks/use-chat.ts'
export { useSession, type UsedSession } from './hooks/use-session.ts'
export { useApprovals, type Approvals, type PendingAsk } from './hooks/use-approvals.ts'
export { useAttachments, type Attachment, type Attachments } from './hooks/use-attachments.ts'

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
export { Markdown, type MarkdownProps } from './components/markdown.tsx'
export { AskCard, type AskCardProps } from './components/ask-card.tsx'
export type { WidgetProps } from './components/item-view.tsx'
