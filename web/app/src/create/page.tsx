export function CreatePage() {
  return <h1>New</h1>;
}
