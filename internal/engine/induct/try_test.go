package induct
import ("testing";"context";"os";"fmt";"time";"erelong/internal/lang")
func TestTry(t *testing.T){
 f:=os.Getenv("TRYFILE")
 sys,_,err:=lang.Load(f)
 if err!=nil {t.Fatal(err)}
 o:=Options{}
 if s:=os.Getenv("TRYSOLVER");s!="" {o.Solvers=[]string{s}}
 b:=time.Now()
 rs,err:=Prove(context.Background(),sys,o)
 if err!=nil {t.Fatal(err)}
 n:=0
 for _,r:=range rs { 
  fmt.Printf("  %s %s: %s [%s] q=%d %v\n",r.Kind,r.Property,r.Verdict,r.Reason,r.Queries,r.Elapsed.Round(time.Millisecond))
  n+=len(r.Evidence.Obligations)
  if os.Getenv("TRYV")!="" { for _,ob:=range r.Evidence.Obligations { fmt.Printf("     %s/%d l%d %s %s %s q=%d r=%d %v\n",ob.Name,ob.Conjunct,ob.Line,ob.Verdict,ob.Reason,ob.Solver,ob.Queries,ob.Rlimit,ob.Elapsed) } }
  if r.Trace!=nil { fmt.Println("   ",r.Trace.Kind, r.Trace.Universe,"params",r.Trace.Params,"line",r.Trace.Line); for _,s:=range r.Trace.Steps { fmt.Println("     ",s.Action,s.Args); for _,b:=range s.State {fmt.Println("        ",b.Name,b.Value)} } }
 }
 fmt.Println("obligations",n,time.Since(b))
}
