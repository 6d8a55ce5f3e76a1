/** Talks to the agent over HTTP and in a terminal: messages, streams and their resuming, sessions, answers. */
export declare const chat: import("@amodal/sdk").Plugin;
export default chat;
