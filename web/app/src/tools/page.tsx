export function ToolsPage() {
  return <h1>Tools</h1>;
}
