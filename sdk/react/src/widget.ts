export { ChatWidget, type ChatWidgetProps } from './components/chat-widget.tsx'
