// A style sheet has nothing to import by name.
export {}
