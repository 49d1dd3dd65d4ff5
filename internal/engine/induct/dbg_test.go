package induct
import ("testing";"fmt";"os/exec";"os";"path/filepath")
func TestDbg(t *testing.T){
 sys:=generate(413)
 o:=ways(t)[413%5]
 d:=t.TempDir(); o.LogDir=d
 o.Only=[]string{"p3"}
 rs,_:=Prove(t.Context(),sys,o)
 for _,r:=range rs { fmt.Println(r.Property,r.Verdict,r.Reason,r.Queries,r.Trace) }
 fs,_:=filepath.Glob(d+"/*")
 for _,f:=range fs { b,_:=os.ReadFile(f); fmt.Println(string(b)); os.WriteFile("/tmp/x.smt2",append(b,[]byte("(get-value ((derived@0 first@) (derived@0 second@)))\n")...),0o644)
  out,_:=exec.Command("z3","/tmp/x.smt2").CombinedOutput(); fmt.Println(string(out))}
}
