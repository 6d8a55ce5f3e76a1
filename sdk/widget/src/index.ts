// `<amodal-chat>`: a chat with an agent for any page.
export { AmodalChatElement, defineAmodalChat, type GetToken } from './element.ts'
export type { RenderWidget } from './view/item.ts'
export type { Texts } from './texts.ts'
