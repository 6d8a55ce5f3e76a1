import { createContext, useContext, type ReactNode } from 'react'
import { useChat, type Chat, type UseChatOptions } from '../hooks/use-chat.ts'

const ChatContext = /* @__PURE__ */ createContext<Chat | undefined>(undefined)

export interface ChatRootProps extends UseChatOptions {
  /** Default: the chat of the other properties. */
  readonly chat?: Chat
  readonly children?: ReactNode
}

/**
 * One conversation for the components below, which have no looks of their own.
 *
 * @example
 * <ChatRoot session={session}>
 *   <ChatMessages>{(message) => <p>{message.text}</p>}</ChatMessages>
 *   <ChatComposer />
 * </ChatRoot>
 */
export function ChatRoot({ chat, children, ...options }: ChatRootProps): ReactNode {
  if (chat) return <ChatContext.Provider value={chat}>{children}</ChatContext.Provider>
  return <OwnChat {...options}>{children}</OwnChat>
}

function OwnChat({ children, ...options }: Omit<ChatRootProps, 'chat'>): ReactNode {
  const chat = useChat(options)
  return <ChatContext.Provider value={chat}>{children}</ChatContext.Provider>
}

/** The chat of the `ChatRoot` around a component. */
export function useChatContext(): Chat {
  const chat = useContext(ChatContext)
  if (!chat) throw new Error('AMODAL_NO_CHAT: put this component into <ChatRoot>')
  return chat
}
