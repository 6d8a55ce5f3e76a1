/** The agent that the preset contract talks to. @param baseUrl of its model */
export declare function agentFiles(baseUrl: string): Readonly<Record<string, string>>;
