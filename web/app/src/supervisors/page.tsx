export function SupervisorsPage() {
  return <h1>Supervisors</h1>;
}
