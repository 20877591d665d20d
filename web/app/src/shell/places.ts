export interface Place {
  path: string;
  name: string;
  key: string; // after g
}

/** Where one can go. */
export const places: Place[] = [
  { path: "processes", name: "Processes", key: "p" },
  { path: "tree", name: "Tree", key: "t" },
  { path: "approvals", name: "Approvals", key: "a" },
  { path: "supervisors", name: "Supervisors", key: "s" },
  { path: "tools", name: "Tools", key: "o" },
  { path: "new", name: "New", key: "n" },
];
