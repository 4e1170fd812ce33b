package curve
import ("testing";"time";"fmt";"runtime";"context";"golang.org/x/sys/unix";"github.com/consensys/gnark-crypto/ecc/bls12-381/fr";"math/rand/v2")
func tcpu() time.Duration { var ts unix.Timespec; unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); return time.Duration(ts.Nano()) }
func TestFX(t *testing.T){
	runtime.LockOSThread()
	rng := rand.New(rand.NewPCG(1,2))
	n:=1<<15
	pp, k := make([]G1Affine, n), make([]fr.Element, n)
	for i := range k { k[i] = randomScalar(rng) }
	fx2, _ := NewFixedG1(context.Background(), GeneratorG1(), 10<<20, 2)
	best:=time.Hour
	for r:=0;r<60;r++ { q:=r%32; s:=tcpu(); fx2.mulBatch(pp[:1024],k[q*1024:q*1024+1024]); if d:=tcpu()-s; d<best {best=d} }
	fmt.Println("fx cpu ns/point", best.Nanoseconds()/1024)
}
